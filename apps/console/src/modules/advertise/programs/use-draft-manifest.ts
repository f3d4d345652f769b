import { programOptions } from '@oms/contract/advertise/program-options.ts'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { RESPONSE_CODE } from '@oms/contract/core/envelope.ts'
import { Form } from 'antd'
import { useEffect, useState } from 'react'
import { type ApiError, call } from '#core/api/client.ts'
import { selectAcceptedFields } from '#kit/form/form-values.ts'

/** Milliseconds without a change before the manifest is requested. */
const QUIET_MS = 500

interface Asked {
  readonly id: number | undefined
  readonly tenantId: number | undefined
  readonly deviceId: number | undefined
}

/** Manifest of a screen. `left` has the names of the programs that exceed the capacity of the screen. */
type DraftManifest = ResultOf<typeof programOptions.manifest>

interface Answer {
  readonly manifest?: DraftManifest
  readonly problem?: string
  readonly failure?: ApiError
}

const keep = (manifest: DraftManifest | undefined, answer: Answer): Answer => ({
  ...(manifest && { manifest }),
  ...answer,
})
/** The server refuses invalid values with a message. All other errors are failures. */
const answerTo = (refusal: ApiError): Answer =>
  refusal.code === RESPONSE_CODE.invalid ? { problem: refusal.message } : { failure: refusal }

/**
 * Returns the manifest of the screen as if the values of the form were published. Keeps the last manifest while values
 * are invalid. `problem` describes the missing or invalid values. `failure` is the error of a request that the user can
 * retry.
 */
export function useDraftManifest({ id, tenantId, deviceId }: Asked) {
  const form = Form.useFormInstance()
  const values = Form.useWatch((all) => JSON.stringify(all), { form, preserve: true }) as string | undefined
  const [answer, setAnswer] = useState<Answer>({})
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    if (!values) return undefined
    const abort = new AbortController()
    const timer = setTimeout(() => {
      const content = JSON.parse(values) as Record<string, unknown>
      const input = selectAcceptedFields(programOptions.manifest, {
        ...content,
        programName: content['programName'] || '本节目单',
        id,
        tenantId,
        deviceId,
      })
      const parsed = programOptions.manifest.input.safeParse(input)
      if (!parsed.success) return setAnswer(({ manifest }) => keep(manifest, { problem: '填写完整后显示预演' }))
      return void call(programOptions.manifest, input as never, { quiet: true, signal: abort.signal }).then(
        (manifest) => setAnswer({ manifest }),
        (refusal: ApiError) => {
          if (abort.signal.aborted) return
          setAnswer(({ manifest }) => keep(manifest, answerTo(refusal)))
        },
      )
    }, QUIET_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [values, id, tenantId, deviceId, attempt])
  return { ...answer, retry: () => setAttempt((now) => now + 1) }
}
