import { UPLOAD } from '@oms/contract/core/upload.ts'
import { useRef, useState } from 'react'
import { useUnsaved } from '#core/routing/tab.tsx'
import { toast } from '#core/loading/toast.ts'
import { useFileProblems } from './file-problems.tsx'
import { computeFileFingerprint, mayRetry, partTransport, waitUntilOnline } from './part-transport.ts'
import { type Progress, startUpload, type Upload } from './resumable.ts'
import type { StoredFile } from './stored-file.ts'
import { removeUnfinishedUpload, saveUnfinishedUpload, readUnfinished } from './unfinished.ts'

const OVER = new Set(['done', 'failed', 'cancelled'])

/**
 * Creates the state of a component upload: choose, pause, resume, cancel. `place` distinguishes uploads of one page
 * after a reload.
 */
export function useComponentUpload(place: string, onDone: (file: StoredFile) => void) {
  const [name, setName] = useState('')
  const [progress, setProgress] = useState<Progress>()
  const { unfinished, keep, forget } = useUnfinished(place)
  const { problems, accept } = useFileProblems()
  const upload = useRef<Upload>(undefined)
  const running = progress !== undefined && !OVER.has(progress.phase)
  useUnsaved(running)

  const start = async (file: File) => {
    if (!accept(UPLOAD.component, file)) return
    setName(file.name)
    const fingerprint = computeFileFingerprint(file)
    const onProgress = (next: Progress) => {
      setProgress(next)
      if (OVER.has(next.phase)) return
      keep({ fingerprint, name: file.name, sent: next.sent, total: next.total })
    }
    upload.current = startUpload(file, { transport: partTransport, wait: waitUntilOnline, onProgress, mayRetry })
    const stored = await upload.current.result
    if (!stored) return
    forget()
    toast.success('组件上传成功')
    onDone(stored)
  }
  return {
    name,
    progress,
    problems,
    running,
    /** Returns the unfinished upload of an earlier visit; choosing the same file again continues it. */
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

/** Reads, keeps and forgets the upload that a reload interrupts. */
function useUnfinished(place: string) {
  const [unfinished, setUnfinished] = useState(() => readUnfinished(place))
  const keep = (upload: Parameters<typeof saveUnfinishedUpload>[1]) => saveUnfinishedUpload(place, upload)
  const forget = () => {
    removeUnfinishedUpload(place)
    setUnfinished(undefined)
  }
  return { unfinished, keep, forget }
}
