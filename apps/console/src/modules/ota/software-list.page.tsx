import { FamilyProvider } from './family.ts'
import { SOFTWARE } from './software-family.ts'
import { VersionList } from './version-list.tsx'

/** Versions of general software. */
export default function SoftwareListPage() {
  return (
    <FamilyProvider value={SOFTWARE}>
      <VersionList />
    </FamilyProvider>
  )
}
