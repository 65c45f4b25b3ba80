/*
 * Broken nginx configurations: for each fault the lines of the good one that are replaced. What a fault makes fail is
 * in the table of the tests.
 */

/** Replacements by fault, each [from, to]; `from` must stand in the shipped configuration. */
export const NGINX_FAULTS = {
  // What nginx does if nobody says otherwise: it buffers, and speaks HTTP/1.0 to the server.
  'nginx-buffers': [
    ['proxy_buffering off;', 'proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;'],
    ['proxy_http_version 1.1;', 'proxy_http_version 1.0;'],
  ],
  'nginx-hides-buffering-hint': [['proxy_pass_header X-Accel-Buffering;', '']],
  'nginx-cuts-idle-streams': [['proxy_read_timeout 1h;', 'proxy_read_timeout 350ms;']],
  'nginx-swallows-disconnects': [['proxy_ignore_client_abort off;', 'proxy_ignore_client_abort on;']],
  'nginx-intercepts-errors': [
    ['proxy_intercept_errors off;', 'proxy_intercept_errors on; error_page 400 401 403 404 405 413 /sorry; '],
    [
      'location / {',
      'location = /sorry { default_type text/html; return 200 "<h1>Sorry</h1>"; }\n    location / {',
    ],
  ],
  'nginx-limits-bodies': [['client_max_body_size 1m;', 'client_max_body_size 64k;']],
  'nginx-logs-authorization': [['"$http_mcp_name"\'', '"$http_mcp_name" $http_authorization\'']],
  'nginx-turns-log-off': [['access_log logs/access.log mcp;', 'access_log off;']],
  'nginx-strips-headers': [['proxy_pass_request_headers on;', 'proxy_pass_request_headers off;']],
  'nginx-has-no-tool-rules': [['default denied;', 'default allowed;']],
  'nginx-denies-encoded-names': [
    [
      'include allowed-tools.conf;',
      'count allowed;\n    count_in_region allowed;\n    progress allowed;\n    slow allowed;\n    no_such_tool allowed;',
    ],
  ],
} as const satisfies Record<string, readonly (readonly [string, string])[]>;

export type NginxFault = keyof typeof NGINX_FAULTS;

/** Whether a name is one of the faults above. */
export function isNginxFault(fault: string): fault is NginxFault {
  return Object.hasOwn(NGINX_FAULTS, fault);
}
