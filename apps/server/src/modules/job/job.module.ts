import { jobs } from '@oms/contract/job/job.ts'
import { implement } from '#core/http/implement.ts'
import { cancel, get, list } from './job.service.ts'

export const jobModule = implement(jobs, { list, get, cancel })
