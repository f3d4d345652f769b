import { Suspense, useState } from 'react'
import { useServerEvent } from '#core/events/events.ts'
import { loadChunk } from '#core/loading/load-chunk.ts'
import { followedJobs } from '#kit/jobs/followed.ts'
import { lazyAntd } from '#kit/antd/lazy-antd.tsx'

const JobDrawer = lazyAntd(() => import('./job-drawer.tsx'), 'default')

/** Mounts the job drawer and the notifications of finished jobs; their code loads on demand. */
export function JobCenter({ open, onOpen, onClose }: { open: boolean; onOpen: () => void; onClose: () => void }) {
  const [wanted, setWanted] = useState(open)
  if (open && !wanted) setWanted(true)
  useServerEvent('job', ({ jobId, state }) => {
    // Skips the notification when the open drawer or the starting screen shows the job.
    if (open || followedJobs.has(jobId) || (state !== 'done' && state !== 'failed')) return
    void loadChunk(() => import('./notify-job-end.ts')).then(({ notifyJobEnd }) => notifyJobEnd(jobId, onOpen))
  })
  return (
    wanted && (
      <Suspense>
        <JobDrawer open={open} onClose={onClose} />
      </Suspense>
    )
  )
}
