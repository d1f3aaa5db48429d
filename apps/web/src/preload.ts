/// <reference lib="dom" />
// The first page is requested at once, while the settings are being read: it is the largest part of the application.
if (/^(#\/?(\?|$)|$)/.test(location.hash)) void import("./pages/map/map_page.tsx");
