import { FamilyProvider } from './family.ts'
import { FIRMWARE } from './firmware-family.ts'
import { VersionAdd } from './version-add.tsx'

/** A new firmware version. */
export default function OtaAddPage() {
  return (
    <FamilyProvider value={FIRMWARE}>
      <VersionAdd />
    </FamilyProvider>
  )
}
