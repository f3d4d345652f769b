import { jobs } from '@oms/contract/job/job.ts'
import { implement } from '#core/http/implement.ts'
import { importCheckedTable } from './checked-import.ts'
import { cancelJob, getJob, listJobs } from './job.service.ts'

export const jobModule = implement(
  jobs,
  { list: listJobs, get: getJob, cancel: cancelJob, import: importCheckedTable },
  // The import adds its job in its own transaction.
  { outsideTransaction: ['import'] },
)
