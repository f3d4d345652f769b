import { FamilyProvider } from './family.ts'
import { SOFTWARE } from './software-family.ts'
import { VersionEdit } from './version-edit.tsx'

/** One version of a package. */
export default function SoftwareEditPage() {
  return (
    <FamilyProvider value={SOFTWARE}>
      <VersionEdit />
    </FamilyProvider>
  )
}
