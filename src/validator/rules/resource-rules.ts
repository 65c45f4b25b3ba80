/** Rules about resources: descriptors, contents, the tenant's policy and subscriptions; and about icons. */

import { defineRules, hardening, must, schema } from './define-rules.js';

export const RESOURCE_RULES = defineRules({
  'resources.cursor': hardening(
    'A cursor is a non-empty string of at most 1,024 characters.',
    'The cursor must be a non-empty string of at most {limit} characters.',
  ),
  'resources.uri': must(
    'server/resources#common-uri-schemes',
    'A resource URI is an absolute RFC 3986 URI of at most 2,048 characters.',
    'The URI must be an absolute URI in the RFC 3986 URI character set and syntax, at most {limit} characters.',
  ),
  'resources.uri_template': schema(
    'server/resources#resource-templates',
    'A uriTemplate is an RFC 6570 template.',
    'The uriTemplate must follow RFC 6570: {problem}.',
  ),
  'resources.mime_type': schema(
    'server/resources#resource',
    'A mimeType is type/subtype with optional parameters.',
    'The MIME type must be type/subtype with optional parameters.',
  ),
  'resources.annotations': schema(
    'server/resources#annotations',
    'Annotations are audience (user, assistant), priority (0 to 1) and lastModified (a timestamp).',
    'The annotations must be an audience of user and assistant, a priority from 0 to 1 and a lastModified timestamp.',
  ),
  'resources.size': hardening(
    'A descriptor announces a size of at most 64 KiB.',
    'The announced size exceeds the size limit of {limit} bytes, or is no whole number of bytes.',
  ),
  'resources.duplicate': hardening(
    'A page lists a resource or template once.',
    'The page lists one URI or template twice.',
  ),
  'resources.page_size': hardening(
    'A list page has at most 256 items.',
    'The list page has more than {limit} items.',
  ),
  'resources.content_count': hardening(
    'A read result has at most 64 contents.',
    'The contents exceed the content item limit of {limit}.',
  ),
  'resources.content_kind': schema(
    'server/resources#resource-contents',
    'A content has exactly one of text and blob.',
    'A resource content must have exactly one of text or blob, as a string.',
  ),
  'resources.base64': must(
    'server/resources#security-considerations',
    'A blob is canonical padded Base64.',
    'The data must be valid base64: canonical and padded.',
  ),
  'resources.content_size': hardening(
    'One content has at most 64 KiB, in UTF-8 or decoded bytes.',
    'The content exceeds the size limit of {limit} bytes.',
  ),
  'resources.contents_size': hardening(
    'All contents of a result have at most 64 KiB together.',
    'The aggregate contents exceed the size limit of {limit} bytes.',
  ),
  'resources.not_in_policy': hardening(
    'A resource or template is in the explicit policy.',
    'The URI or template is not in the resource policy.',
  ),
  'resources.wrong_tenant': hardening(
    'A resource or template belongs to the tenant of the snapshot.',
    'The resource tenant is not the tenant of the snapshot.',
  ),
  'resources.unrelated_content': hardening(
    'A read result holds only the URI that was read, or a child that the policy lists.',
    'The content has a URI that is neither the one that was read nor a listed child of it.',
  ),
  'resources.prefix_is_not_child': hardening(
    'A shared prefix makes no child: only the children list of the policy does.',
    'The URI only shares a prefix with an authorized one and is not listed as its child, so no active subscription or read covers it.',
  ),
  'resources.no_active_subscription': hardening(
    'An update is for an active subscription of the same principal, to that URI or a parent that lists it.',
    'There is no active subscription of this principal for the URI or a parent that lists it.',
  ),
  'resources.duplicate_subscription': hardening(
    'A principal subscribes to a URI once.',
    'The principal has an active subscription to this URI already.',
  ),
  'resources.pending_subscription': hardening(
    'A principal has one subscribe request under way for a URI.',
    'There is a pending subscription request of this principal for the URI.',
  ),
  'resources.pending_unsubscription': hardening(
    'A principal has one unsubscribe request under way for a URI.',
    'There is a pending unsubscription request of this principal for the URI.',
  ),
  'resources.not_subscribed': hardening(
    'Only an active subscription is ended.',
    'There is no active subscription of this principal to end.',
  ),
  'resources.too_many_subscriptions': hardening(
    'A session has at most 1,024 active and pending subscriptions.',
    'There are more than {limit} active and pending subscriptions.',
  ),
  'icons.src': must(
    'basic/index#icons',
    'An icon is an https, http or data URI.',
    'The icon src must be an absolute https, http or data URI.',
  ),
});
