import { jobs } from '@oms/contract/system/job.ts'
import { implement } from '#core/http/implement.ts'
import { cancelJob, getJob, listJobs } from './job.ts'

export const jobModule = implement(jobs, { list: listJobs, get: getJob, cancel: cancelJob })
