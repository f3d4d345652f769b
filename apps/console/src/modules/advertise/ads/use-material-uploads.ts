import { ads } from '@oms/contract/advertise/ad.ts'
import { type AdFilePurpose, MAX_MATERIALS } from '@oms/contract/advertise/ad-rules.ts'
import { UPLOAD, findUploadProblem } from '@oms/contract/core/upload.ts'
import { useEffect, useRef, useState } from 'react'
import { call } from '#core/api/client.ts'
import { useUnsaved } from '#core/routing/tab.tsx'
import { useFileProblems } from '#kit/upload/file-problems.tsx'
import { mayRetry, createPartTransport, waitUntilOnline } from '#kit/upload/part-transport.ts'
import { type Progress, startUpload, type Upload } from '#kit/upload/resumable.ts'
import { drawPoster } from './draw-poster.ts'

/** Ids of an uploaded ad file and of its poster, as the ad form sends them. */
export interface SentMaterial {
  readonly fileId: string
  readonly posterId?: string | undefined
}
export interface RunningUpload {
  readonly key: number
  readonly name: string
  readonly progress: Progress | undefined
  cancel(): void
}

let lastKey = 0

async function posterOf(file: File): Promise<string | undefined> {
  const picture = await drawPoster(file)
  if (!picture || picture.size > UPLOAD.adPoster.maxBytes) return undefined
  const poster = new File([picture], 'poster.jpg', { type: picture.type })
  const stored = await call(ads.upload, { purpose: 'adPoster', file: poster } as never, { quiet: true }).catch(
    () => undefined,
  )
  return stored?.id
}

/** Uploads a file in parts. */
const uploadOf = (file: File, purpose: AdFilePurpose, onProgress: (progress: Progress) => void): Upload =>
  startUpload(file, { transport: createPartTransport(purpose), wait: waitUntilOnline, mayRetry, onProgress })

interface Options {
  readonly purpose: AdFilePurpose
  readonly value: readonly SentMaterial[]
  onChange(value: readonly SentMaterial[]): void
}

/** State of the uploads of one field. Several files upload at the same time, each in parts. */
export function useMaterialUploads({ purpose, value, onChange }: Options) {
  const [running, setRunning] = useState<readonly RunningUpload[]>([])
  const { problems, add, clear } = useFileProblems()
  useUnsaved(running.length > 0)
  /** Current value of the field. An upload that ends changes this value, not the value at the start of the upload. */
  const latest = useRef({ value, onChange })
  useEffect(() => {
    latest.current = { value, onChange }
  })
  const change = (key: number, fields: Partial<RunningUpload>) =>
    setRunning((all) => all.map((each) => (each.key === key ? { ...each, ...fields } : each)))

  const start = async (file: File) => {
    lastKey += 1
    const key = lastKey
    const upload = uploadOf(file, purpose, (progress) => {
      change(key, { progress })
      if (progress.phase === 'failed') add(progress.message, file)
    })
    setRunning((all) => [...all, { key, name: file.name, progress: undefined, cancel: () => void upload.cancel() }])
    const [stored, posterId] = await Promise.all([
      upload.result,
      purpose === 'adVideo' ? posterOf(file) : Promise.resolve(undefined),
    ])
    setRunning((all) => all.filter((each) => each.key !== key))
    if (!stored) return
    const next = [...latest.current.value, { fileId: stored.id, ...(posterId && { posterId }) }]
    // Two uploads may end before the field renders again.
    latest.current = { ...latest.current, value: next }
    latest.current.onChange(next)
  }

  const take = (files: readonly File[]) => {
    clear()
    const room = MAX_MATERIALS - value.length - running.length
    if (files.length > room) add(`素材最多${MAX_MATERIALS}个`)
    for (const file of files.slice(0, Math.max(0, room))) {
      const problem = findUploadProblem(UPLOAD[purpose], file)
      if (problem) add(problem, file)
      else void start(file)
    }
  }
  return { running, problems, take }
}
