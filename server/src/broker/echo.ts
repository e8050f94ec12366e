/** Tells whether an answer repeats the run's credential. */

/** Shortest piece of a secret that counts, in characters. */
const PIECE = 16;

/**
 * A check for one credential over serialised answers. It finds the whole token, and of its secret part (the signature
 * of a JWT, else all of it) every run of 31 characters or more: debugging endpoints cut what they echo.
 */
export function echoCheck(authorization: string): (answer: string) => boolean {
  const token = authorization.replace(/^\S+\s+/, '');
  if (token === '') return () => false;
  const segments = token.split('.');
  const secret = segments.length === 3 ? (segments[2] ?? token) : token;
  const needles = [token];
  // Any run of 2 * PIECE - 1 characters holds one whole piece of this cut.
  for (let at = 0; at + PIECE <= secret.length; at += PIECE) needles.push(secret.slice(at, at + PIECE));
  return (answer) => needles.some((needle) => answer.includes(needle));
}
