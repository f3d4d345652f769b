import { jobs } from '@oms/contract/job.ts'
import { implement } from '#kernel/implement.ts'
import { cancel, get, list } from './job.service.ts'

export const jobModule = implement(jobs, { list, get, cancel })
