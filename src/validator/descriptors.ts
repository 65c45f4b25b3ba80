/** Checks for the members that descriptors and contents share: URIs, MIME types, annotations, icons, cursors, params. */

import type { JsonValue } from '../protocol/strict-json.js';
import { decodedBase64Size } from './base64.js';
import { type Check, finding } from './finding.js';
import { LIMITS } from './limits.js';
import { aString, isObject, listOf, meta, name, oneOf, shape } from './shape.js';
import { isAbsoluteUri, isMimeType, isTimestamp, schemeOf } from './uri.js';

export const aResourceUri: Check = (value, at) =>
  typeof value === 'string' && value.length <= LIMITS.uriLength && isAbsoluteUri(value)
    ? undefined
    : finding('resources.uri', at, { limit: LIMITS.uriLength });

export const aMimeType: Check = (value, at) =>
  typeof value === 'string' && value.length <= LIMITS.mimeTypeLength && isMimeType(value)
    ? undefined
    : finding('resources.mime_type', at);

export const aCursor: Check = (value, at) =>
  typeof value === 'string' && value.length > 0 && value.length <= LIMITS.cursorLength
    ? undefined
    : finding('resources.cursor', at, { limit: LIMITS.cursorLength });

export const base64Data: Check = (value, at) =>
  typeof value === 'string' && decodedBase64Size(value) !== undefined
    ? undefined
    : finding('resources.base64', at);

export const annotations: Check = (value, at) => {
  const isGood =
    isObject(value) &&
    Object.keys(value).every((key) => {
      const member = value[key] as JsonValue;
      if (key === 'audience') return isAudience(member);
      if (key === 'priority') return typeof member === 'number' && member >= 0 && member <= 1;
      return key === 'lastModified' && typeof member === 'string' && isTimestamp(member);
    });
  return isGood ? undefined : finding('resources.annotations', at);
};

function isAudience(value: JsonValue): boolean {
  return (
    Array.isArray(value) &&
    value.every((role) => role === 'user' || role === 'assistant') &&
    new Set(value).size === value.length
  );
}

// basic/index#icons: anything else (javascript:, file:, ftp:, ws:) is unsafe and MUST be rejected.
const ICON_SCHEMES: ReadonlySet<string> = new Set(['https', 'http', 'data']);

const iconSource: Check = (value, at) => {
  const isGood =
    typeof value === 'string' &&
    value.length <= LIMITS.contentBytes &&
    isAbsoluteUri(value) &&
    ICON_SCHEMES.has(schemeOf(value));
  return isGood ? undefined : finding('icons.src', at);
};

export const icons: Check = listOf(
  shape(
    'icon',
    { src: iconSource },
    { mimeType: aMimeType, sizes: listOf(aString, LIMITS.icons), theme: oneOf('light', 'dark') },
  ),
  LIMITS.icons,
);

/** `name` and `title` (schema#BaseMetadata), with icons and `_meta`. */
export const namedThing = {
  required: { name: name(LIMITS.nameLength) },
  optional: { title: aString, icons, _meta: meta },
} as const;

/** Params of a request or notification that needs none. */
export const emptyParams: Check = shape('params', {}, { _meta: meta });

/** Params of a list request (server/utilities/pagination). */
export const listParams: Check = shape('params', {}, { _meta: meta, cursor: aCursor });

/** A result with no members of its own (schema#EmptyResult). */
export const emptyResult: Check = shape('result', {}, { _meta: meta });
