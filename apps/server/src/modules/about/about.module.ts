import { about } from '@oms/contract/about.ts'
import { implement } from '#kernel/implement.ts'
import { dependencies, facts, update } from './about.service.ts'

export const aboutModule = implement(about, { facts, dependencies, update })
