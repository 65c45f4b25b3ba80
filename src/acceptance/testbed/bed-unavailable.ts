/*
 * What the bed says when a part of it is missing: one line, with what to install.
 */

/** A package of the bed is not installed, or a fault does not fit the proxy; one line for the user. */
export class BedUnavailable extends Error {}

/** Loads an optional package. Throws BedUnavailable if it is not there. */
export async function loadPackage<T>(get: () => Promise<T>, name: string): Promise<T> {
  try {
    return await get();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new BedUnavailable(`the bed needs the package ${name}: npm install ${name}`);
  }
}
