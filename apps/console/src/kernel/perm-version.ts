import { currentPermissions } from './session.tsx'

let refetch: () => void = () => {}

/** The shell says how rights are fetched again. */
export const bindPermRefetch = (fetchAgain: () => void) => {
  refetch = fetchAgain
}

/** Every answer tells the version of the account's rights: another one than ours means they changed. */
export function heedPermVersion(version: string) {
  const ours = currentPermissions().version
  if (version && ours && version !== ours) refetch()
}
