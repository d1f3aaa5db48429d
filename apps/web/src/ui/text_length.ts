/** The length of a text as the service counts it: code points after NFC. `maxlength` of HTML counts UTF-16 units. */
export const textLength = (text: string): number => [...text.normalize("NFC")].length;
