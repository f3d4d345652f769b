import { ads } from '@oms/contract/advertise/ad.ts'
import { type AdFilePurpose, MATERIAL_PURPOSE, MAX_MATERIALS } from '@oms/contract/advertise/ad-rules.ts'
import { UPLOAD, findUploadProblem } from '@oms/contract/core/upload.ts'
import { Form } from 'antd'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { call } from '#core/api/client.ts'
import { useUnsaved } from '#core/routing/tab.tsx'
import { useFileProblems } from '#kit/upload/file-problems.tsx'
import { mayRetry, createPartTransport, waitUntilOnline } from '#kit/upload/part-transport.ts'
import { type Progress, startUpload, type Upload } from '#kit/upload/resumable.ts'
import { drawPoster } from './draw-poster.ts'
import { findMediaProblem } from './find-media-problem.ts'
import { useFileTypes } from './use-file-types.ts'

/** Ids of an uploaded ad file and of its poster, as the ad form sends them. */
export interface SentMaterial {
  readonly fileId: string
  readonly posterId?: string | undefined
}
export interface RunningUpload {
  readonly key: number
  readonly name: string
  readonly purpose: AdFilePurpose
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
  /** Changes the type of the ad. Undefined when the type is fixed. */
  readonly onType: ((adType: number) => void) | undefined
}

/** State of the uploads of one field. Several files upload at the same time, each in parts. */
export function useMaterialUploads({ purpose, value, onChange, onType }: Options) {
  const { problems, add, clear } = useFileProblems()
  const { adoptType, describeFittingType } = useFileTypes(purpose, onType)
  const { running, start } = useRunningUploads(useAppend({ value, onChange }), add)
  /** Purpose of the files that were chosen last. Their problems stay shown when these files change the type. */
  const chosen = useRef(purpose)
  useTypeChanged(purpose, () => {
    if (chosen.current !== purpose) clear()
    for (const each of running) if (each.purpose !== purpose) each.cancel()
  })

  const take = (files: readonly File[]) => {
    clear()
    const isUnused = value.length === 0 && running.length === 0
    const target = isUnused ? adoptType(files) : purpose
    chosen.current = target
    const room = MAX_MATERIALS - value.length - running.length
    if (files.length > room) add(`素材最多${MAX_MATERIALS}个`)
    for (const file of files.slice(0, Math.max(0, room))) {
      const problem = findUploadProblem(UPLOAD[target], file)
      if (problem) add(describeFittingType(file, target) ?? problem, file)
      else void start(file, target)
    }
  }
  return { running, problems, take }
}

type Append = (material: SentMaterial, purpose: AdFilePurpose) => void

/** Returns the running uploads, and a function that starts one. `addProblem` shows why an upload failed. */
function useRunningUploads(append: Append, addProblem: (problem: string, file: File) => void) {
  const [running, setRunning] = useState<readonly RunningUpload[]>([])
  useUnsaved(running.length > 0)
  const change = (key: number, fields: Partial<RunningUpload>) =>
    setRunning((all) => all.map((each) => (each.key === key ? { ...each, ...fields } : each)))
  const start = async (file: File, purpose: AdFilePurpose) => {
    const unusable = await findMediaProblem(file, purpose)
    if (unusable) return addProblem(unusable, file)
    lastKey += 1
    const key = lastKey
    const upload = uploadOf(file, purpose, (progress) => {
      change(key, { progress })
      if (progress.phase === 'failed') addProblem(progress.message, file)
    })
    const cancel = () => void upload.cancel()
    setRunning((all) => [...all, { key, name: file.name, purpose, progress: undefined, cancel }])
    const [stored, posterId] = await Promise.all([
      upload.result,
      purpose === 'adVideo' ? posterOf(file) : Promise.resolve(undefined),
    ])
    setRunning((all) => all.filter((each) => each.key !== key))
    if (stored) append({ fileId: stored.id, ...(posterId && { posterId }) }, purpose)
  }
  return { running, start }
}

/**
 * Returns a function that appends an uploaded file to the current value of the field. Several uploads may end before the
 * field renders again. A file of another type than the present one is dropped.
 */
function useAppend({ value, onChange }: Pick<Options, 'value' | 'onChange'>): Append {
  const form = Form.useFormInstance()
  const latest = useRef({ value, onChange })
  useEffect(() => {
    latest.current = { value, onChange }
  })
  return (material, purpose) => {
    const adType = (form.getFieldValue('adType') as number | undefined) ?? 0
    if (purpose !== MATERIAL_PURPOSE[adType]) return
    const next = [...latest.current.value, material]
    latest.current = { ...latest.current, value: next }
    latest.current.onChange(next)
  }
}

/** Calls `onChanged` after a change of the purpose, but not after the first rendering or when a hidden page is shown. */
function useTypeChanged(purpose: AdFilePurpose, onChanged: () => void) {
  const former = useRef(purpose)
  const changed = useEffectEvent(onChanged)
  useEffect(() => {
    if (former.current !== purpose) changed()
    former.current = purpose
  }, [purpose])
}
