import { about } from '@oms/contract/about/about.ts'
import { implement } from '#core/http/implement.ts'
import { listDependencies, getBuildFacts, updateAbout } from './about.service.ts'

export const aboutModule = implement(about, {
  facts: getBuildFacts,
  dependencies: listDependencies,
  update: updateAbout,
})
