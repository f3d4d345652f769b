import { jobs } from '@oms/contract/job/job.ts'
import { implement } from '#core/http/implement.ts'
import { cancelJob, getJob, listJobs } from './job.service.ts'

export const jobModule = implement(jobs, { list: listJobs, get: getJob, cancel: cancelJob })
