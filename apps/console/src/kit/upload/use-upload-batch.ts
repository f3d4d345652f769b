import type { InputOf } from '@oms/contract/core/endpoint.ts'
import { files } from '@oms/contract/system/file.ts'
import { UPLOAD_MESSAGES, type UploadRule } from '@oms/contract/core/upload.ts'
import { useEffect, useRef, useState } from 'react'
import { ApiError, call, isApiError } from '#core/api/client.ts'
import { useFileProblems } from './file-problems.tsx'
import { splitAddresses, joinAddresses } from './stored-file.ts'
import { uploadBatch } from './upload-batch.ts'

/** Purposes of files that are uploaded in one request, without parts. */
type WholePurpose = NonNullable<InputOf<typeof files.upload>['purpose']>

interface Options {
  readonly rule: UploadRule
  readonly purpose: WholePurpose
  readonly value: string | undefined
  onChange(value: string): void
}

/** State of a field with comma-separated URLs of uploaded files. */
export function useUploadBatch({ rule, purpose, value, onChange }: Options) {
  const [pending, setPending] = useState(0)
  /** Remembers the names of uploaded files, because URLs do not contain them. */
  const [names, setNames] = useState<Readonly<Record<string, string>>>({})
  const { problems, add: addProblem, clear } = useFileProblems()
  const addresses = splitAddresses(value)
  const add = useAppend(addresses, onChange)

  const send = async (file: File) => {
    const { url } = await sendFile(purpose, file)
    setNames((known) => ({ ...known, [url]: file.name }))
    return url
  }
  /** Files chosen during an upload are counted together with the running ones and added to the field at the end. */
  const take = async (chosen: readonly File[]) => {
    clear()
    const present = [...addresses, ...Array.from({ length: pending }, () => '')]
    let mine = 0
    const onPending = (count: number) => {
      const change = count - mine
      mine = count
      setPending((all) => all + change)
    }
    const merged = await uploadBatch(chosen, { rule, present, send, onPending, onProblem: addProblem })
    add(merged.slice(present.length))
  }
  return {
    pending,
    problems,
    addresses,
    names,
    take,
    replace: (next: readonly string[]) => onChange(joinAddresses(next)),
    remove: (address: string) => onChange(joinAddresses(addresses.filter((each) => each !== address))),
  }
}

/** Returns a function that adds URLs to the current value of the field, which can change during an upload. */
function useAppend(addresses: readonly string[], onChange: (value: string) => void) {
  const latest = useRef({ addresses, onChange })
  useEffect(() => {
    latest.current = { addresses, onChange }
  })
  return (uploaded: readonly string[]) => {
    if (uploaded.length === 0) return
    const next = [...latest.current.addresses, ...uploaded]
    const { onChange: change } = latest.current
    // Two uploads may end before the field renders again, so the value of the last rendering can be old.
    latest.current = { addresses: next, onChange: change }
    change(joinAddresses(next))
  }
}

/** Uploads one whole file. A picture without a response fails with the specification's message. */
export async function sendFile(purpose: Options['purpose'], file: File) {
  const input = { purpose, file }
  return call(files.upload, input, { quiet: true }).catch((error: unknown) => {
    if ((purpose === 'image' || purpose === 'ticketImage') && isApiError(error) && error.worthRetrying)
      throw new ApiError(error.code, UPLOAD_MESSAGES.imageFailed)
    throw error
  })
}
