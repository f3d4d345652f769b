import type { Endpoint, InputOf, ResultOf } from '@oms/contract/core/endpoint.ts'
import type { FormInstance } from 'antd'
import { useWrite } from '#core/api/query.ts'

/** Submits a form with a loading state, a single request, and the server's error at its field. */
export function useSubmit<E extends Endpoint>(
  endpoint: E,
  form: FormInstance,
  fieldOf: Readonly<Record<string, string>> = {},
) {
  const write = useWrite(endpoint)
  const submit = (input: InputOf<E>, then: (result: ResultOf<E>) => void, otherwise?: () => void) => {
    if (write.isPending) return
    write.mutate(input, {
      onSuccess: then,
      onError: ({ fields }) => {
        form.setFields(fields.map(({ field, msg }) => ({ name: fieldOf[field] ?? field, errors: [msg] })))
        otherwise?.()
      },
    })
  }
  return { submit, busy: write.isPending }
}
