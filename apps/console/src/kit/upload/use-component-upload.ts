import { UPLOAD, uploadProblem } from '@oms/contract/upload.ts'
import { useRef, useState } from 'react'
import { useUnsaved } from '#kernel/tab.tsx'
import { toast } from '#kernel/toast.ts'
import { fingerprintOf, mayRetry, partTransport, waitForLine } from './part-transport.ts'
import { type Progress, startUpload, type Upload } from './resumable.ts'
import type { StoredFile } from './stored-file.ts'
import { forgetUnfinished, keepUnfinished, readUnfinished } from './unfinished.ts'

const OVER = new Set(['done', 'failed', 'cancelled'])

/** One component on its way: chosen, paused, resumed, cancelled. `place` tells uploads of one page apart after a reload. */
export function useComponentUpload(place: string, onDone: (file: StoredFile) => void) {
  const [name, setName] = useState('')
  const [progress, setProgress] = useState<Progress>()
  const [unfinished, setUnfinished] = useState(() => readUnfinished(place))
  const upload = useRef<Upload>(undefined)
  const running = progress !== undefined && !OVER.has(progress.phase)
  useUnsaved(running)

  const start = async (file: File) => {
    const problem = uploadProblem(UPLOAD.component, file)
    if (problem) return toast.error(problem)
    setName(file.name)
    const fingerprint = fingerprintOf(file)
    const tell = (next: Progress) => {
      setProgress(next)
      if (OVER.has(next.phase)) return
      keepUnfinished(place, { fingerprint, name: file.name, sent: next.sent, total: next.total })
    }
    upload.current = startUpload(file, { transport: partTransport, wait: waitForLine, tell, mayRetry })
    const stored = await upload.current.result
    if (!stored) return
    forget()
    toast.success('组件上传成功')
    onDone(stored)
  }
  const forget = () => {
    forgetUnfinished(place)
    setUnfinished(undefined)
  }
  return {
    name,
    progress,
    running,
    /** What an earlier visit left behind; the same file chosen again goes on there. */
    unfinished: running ? undefined : unfinished,
    start,
    pause: () => upload.current?.pause(),
    resume: () => upload.current?.resume(),
    cancel: async () => {
      await upload.current?.cancel()
      setProgress(undefined)
      forget()
    },
  }
}
