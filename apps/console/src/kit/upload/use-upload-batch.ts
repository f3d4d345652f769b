import { type FilePurpose, files } from '@oms/contract/file.ts'
import { UPLOAD_MESSAGES, type UploadRule } from '@oms/contract/upload.ts'
import { useState } from 'react'
import { call, isRefusal } from '#kernel/call.ts'
import { toast } from '#kernel/toast.ts'
import { addressesIn, valueOf } from './stored-file.ts'
import { uploadBatch } from './upload-batch.ts'

interface Options {
  readonly rule: UploadRule
  readonly purpose: Exclude<FilePurpose, 'component'>
  readonly value: string | undefined
  onChange(value: string): void
}

/** A field that holds comma-separated addresses of uploaded files. */
export function useUploadBatch({ rule, purpose, value, onChange }: Options) {
  const [pending, setPending] = useState(0)
  /** Addresses say nothing of a file's name; those uploaded here are remembered. */
  const [names, setNames] = useState<Readonly<Record<string, string>>>({})
  const addresses = addressesIn(value)

  const send = async (file: File) => {
    const { url } = await sendFile(purpose, file)
    setNames((known) => ({ ...known, [url]: file.name }))
    return url
  }
  const take = async (chosen: readonly File[]) => {
    const merged = await uploadBatch(chosen, {
      rule,
      present: addresses,
      send,
      onPending: setPending,
      tell: toast.error,
    })
    if (merged.length > addresses.length) onChange(valueOf(merged))
  }
  return {
    pending,
    addresses,
    names,
    take,
    replace: (next: readonly string[]) => onChange(valueOf(next)),
    remove: (address: string) => onChange(valueOf(addresses.filter((each) => each !== address))),
  }
}

/** Sends one whole file. Without an answer a picture fails in the specification's words. */
export async function sendFile(purpose: Options['purpose'], file: File) {
  const input = { purpose, file }
  return call(files.upload, input, { quiet: true }).catch((error: unknown) => {
    if ((purpose === 'image' || purpose === 'ticketImage') && isRefusal(error) && error.worthRetrying)
      throw new Error(UPLOAD_MESSAGES.imageFailed)
    throw error
  })
}
