import { currentPermissions } from './session.tsx'

let refetch: (version: string) => void = () => {}

/** The shell says how rights are fetched again. */
export const bindPermRefetch = (fetchAgain: (version: string) => void) => {
  refetch = fetchAgain
}

/** Every answer, and the server's event, tells the version of the account's rights: another one than ours means they changed. */
export function heedPermVersion(version: string) {
  const ours = currentPermissions().version
  if (version && ours && version !== ours) refetch(version)
}
