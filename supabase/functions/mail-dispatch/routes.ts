import { dispatchMails } from "./mails.ts";

export const routes = [dispatchMails];
