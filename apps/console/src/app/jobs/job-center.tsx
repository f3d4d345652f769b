import { Suspense, useState } from 'react'
import { useServerEvent } from '#kernel/events.ts'
import { loadChunk } from '#kernel/load-chunk.ts'
import { followed } from '#kit/followed.ts'
import { lazyAntd } from '#kit/lazy-antd.tsx'

const JobDrawer = lazyAntd(() => import('./job-drawer.tsx'), 'default')

/** The drawer of one's own jobs, and the word when one of them ends. Nothing of it is loaded before it is needed. */
export function JobCenter({ open, onOpen, onClose }: { open: boolean; onOpen: () => void; onClose: () => void }) {
  const [wanted, setWanted] = useState(open)
  if (open && !wanted) setWanted(true)
  useServerEvent('job', ({ jobId, state }) => {
    // The open drawer shows it by itself, and so does who follows it from where it was started.
    if (open || followed.has(jobId) || (state !== 'done' && state !== 'failed')) return
    void loadChunk(() => import('./tell-end.ts')).then(({ tellEnd }) => tellEnd(jobId, onOpen))
  })
  return (
    wanted && (
      <Suspense>
        <JobDrawer open={open} onClose={onClose} />
      </Suspense>
    )
  )
}
