import { about } from '@oms/contract/system/about.ts'
import { implement } from '#core/http/implement.ts'
import { listDependencies, getBuildFacts, updateAbout } from './about.ts'

export const aboutModule = implement(about, {
  facts: getBuildFacts,
  dependencies: listDependencies,
  update: updateAbout,
})
