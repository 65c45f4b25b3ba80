/**
 * Canonical padded Base64 (RFC 4648 section 4, with the zero pad bits of section 3.5), and sizes in bytes. Nothing
 * is decoded: the size follows from the length.
 */

const ALPHABET = /^[A-Za-z0-9+/]*={0,2}$/;
// The last character before one `=` has two unused bits, before two of them four; canonical means they are zero.
const LAST_BEFORE_ONE = 'AEIMQUYcgkosw048';
const LAST_BEFORE_TWO = 'AQgw';

/** Decoded size in bytes, or undefined when the text is not canonical padded Base64. */
export function decodedBase64Size(text: string): number | undefined {
  if (text.length % 4 !== 0 || !ALPHABET.test(text)) return undefined;
  if (text.endsWith('==')) {
    return LAST_BEFORE_TWO.includes(text.charAt(text.length - 3)) ? (text.length / 4) * 3 - 2 : undefined;
  }
  if (text.endsWith('=')) {
    return LAST_BEFORE_ONE.includes(text.charAt(text.length - 2)) ? (text.length / 4) * 3 - 1 : undefined;
  }
  return (text.length / 4) * 3;
}

/** Size of a string in UTF-8, which has no lone surrogates because the strict parser refuses them. */
export function utf8Size(text: string): number {
  let size = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) size += unit > 0x7ff && (unit < 0xd800 || unit > 0xdfff) ? 2 : 1;
  }
  return size;
}
