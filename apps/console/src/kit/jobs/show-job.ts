import { loadChunk } from '#core/loading/load-chunk.ts'
import { toast } from '#core/loading/toast.ts'
import { followedJobs } from './followed.ts'

/** Shows a background job on all pages from now on; loads the code with the first job. */
export function showJob(jobId: number, message: string) {
  followedJobs.add(jobId)
  void loadChunk(() => import('./follow-job.tsx')).then(
    ({ followJob }) => followJob(jobId, message),
    () => {
      followedJobs.delete(jobId)
      // The job runs although the notification failed to load, so the server's message is shown as a toast.
      toast.info(message)
    },
  )
}
