import { loadChunk } from '#kernel/load-chunk.ts'
import { toast } from '#kernel/toast.ts'
import { followed } from './followed.ts'

/** Shows a background job from now on, wherever the person goes; its code comes with the first job. */
export function showJob(jobId: number, message: string) {
  followed.add(jobId)
  void loadChunk(() => import('./follow-job.tsx')).then(
    ({ followJob }) => followJob(jobId, message),
    () => {
      followed.delete(jobId)
      // Unseen, it still runs: what the server said about it must not be lost.
      toast.info(message)
    },
  )
}
