import { FamilyProvider } from './family.ts'
import { FIRMWARE } from './firmware-family.ts'
import { VersionEdit } from './version-edit.tsx'

/** One firmware version. */
export default function OtaEditPage() {
  return (
    <FamilyProvider value={FIRMWARE}>
      <VersionEdit />
    </FamilyProvider>
  )
}
