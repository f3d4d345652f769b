import { FamilyProvider, FIRMWARE } from './family.ts'
import { VersionEdit } from './version-edit.tsx'

/** One firmware version. */
export default function OtaEditPage() {
  return (
    <FamilyProvider value={FIRMWARE}>
      <VersionEdit />
    </FamilyProvider>
  )
}
