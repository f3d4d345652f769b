import { findFileCountProblem, type UploadRule, findUploadProblem } from '@oms/contract/core/upload.ts'
import { findRefusalMessage } from '#core/api/api-error.ts'

interface Batch {
  readonly rule: UploadRule
  /** URLs that the field already contains. */
  readonly present: readonly string[]
  /** Uploads one file: resolves to its URL, or rejects with the reason. */
  readonly send: (file: File) => Promise<string>
  /** Number of files being uploaded. */
  readonly onPending: (count: number) => void
  /** Called without a file when the number of files is wrong. */
  readonly onProblem: (problem: string, file?: File) => void
}

/**
 * Uploads several files: checks each file, waits for all, and returns the merged list. A failed file is reported and
 * omitted.
 */
export async function uploadBatch(files: readonly File[], { rule, present, send, onPending, onProblem }: Batch) {
  const crowded = findFileCountProblem(rule, present.length + files.length)
  if (crowded) {
    onProblem(crowded)
    return present
  }
  const accepted = files.filter((file) => {
    const problem = findUploadProblem(rule, file)
    if (problem) onProblem(problem, file)
    return !problem
  })
  let pending = accepted.length
  onPending(pending)
  const addresses = await Promise.all(
    accepted.map((file) =>
      send(file)
        .catch((error: unknown) => {
          onProblem(findRefusalMessage(error, '上传失败，请重试'), file)
          return undefined
        })
        .finally(() => onPending(--pending)),
    ),
  )
  return [...present, ...addresses.filter((address) => address !== undefined)]
}
