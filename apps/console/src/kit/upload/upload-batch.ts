import { countProblem, type UploadRule, uploadProblem } from '@oms/contract/upload.ts'

interface Batch {
  readonly rule: UploadRule
  /** Addresses the field holds already. */
  readonly present: readonly string[]
  /** Sends one file; its address, or a rejection that says why not. */
  readonly send: (file: File) => Promise<string>
  /** Files still on their way. */
  readonly onPending: (count: number) => void
  readonly tell: (problem: string) => void
}

/** Uploads files chosen together: checks each, waits for all, and answers the merged list; a failed one is told and left out. */
export async function uploadBatch(files: readonly File[], { rule, present, send, onPending, tell }: Batch) {
  const crowded = countProblem(rule, present.length + files.length)
  if (crowded) {
    tell(crowded)
    return present
  }
  const accepted = files.filter((file) => {
    const problem = uploadProblem(rule, file)
    if (problem) tell(problem)
    return !problem
  })
  let pending = accepted.length
  onPending(pending)
  const addresses = await Promise.all(
    accepted.map((file) =>
      send(file)
        .catch((error: unknown) => {
          tell(error instanceof Error ? error.message : '上传失败')
          return undefined
        })
        .finally(() => onPending(--pending)),
    ),
  )
  return [...present, ...addresses.filter((address) => address !== undefined)]
}
