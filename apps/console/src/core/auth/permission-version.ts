import { getPermissions } from './session.tsx'

let refetch: (version: string) => void = () => {}

/** Registers the function that reloads permissions. */
export const registerPermissionRefetch = (fetchAgain: (version: string) => void) => {
  refetch = fetchAgain
}

/**
 * Compares the permission version of a response or event with the loaded one, and reloads permissions when they
 * differ.
 */
export function handlePermissionVersion(version: string) {
  const ours = getPermissions().version
  if (version && ours && version !== ours) refetch(version)
}
