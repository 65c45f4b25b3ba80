/** The one line that `demo` and `attack` write, and the name of what they prove. */

export const PROFILE = 'loopback-streamable-http-teaching-profile-v1';

/** JSON on one line with a space after each colon and comma, members in the order given. */
export function verdictLine(members: Readonly<Record<string, string | number>>): string {
  const written = Object.entries(members).map(
    ([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`,
  );
  return `{${written.join(', ')}}\n`;
}
