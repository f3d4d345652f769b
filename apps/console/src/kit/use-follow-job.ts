import { App } from 'antd'
import { loadChunk } from '#kernel/load-chunk.ts'
import { toast } from '#kernel/toast.ts'

/** Shows a background job from now on, wherever the person goes; its code comes with the first job. */
export function useFollowJob() {
  const { notification } = App.useApp()
  return (jobId: number, message: string) =>
    void loadChunk(() => import('./follow-job.tsx')).then(
      ({ followJob }) => followJob(notification, jobId, message),
      // Unseen, it still runs: what the server said about it must not be lost.
      () => toast.info(message),
    )
}
