import { FamilyProvider } from './family.ts'
import { SOFTWARE } from './software-family.ts'
import { VersionAdd } from './version-add.tsx'

/** A new version of a package. */
export default function SoftwareAddPage() {
  return (
    <FamilyProvider value={SOFTWARE}>
      <VersionAdd />
    </FamilyProvider>
  )
}
