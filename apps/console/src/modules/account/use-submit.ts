import type { Endpoint, InputOf, ResultOf } from '@oms/contract/kernel/endpoint.ts'
import type { FormInstance } from 'antd'
import { useWrite } from '#kernel/query.ts'

/** Sends a form: spinner, one request however often one clicks, the server's refusal at the field it names. */
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
      onError: ({ field, message }) => {
        if (field) form.setFields([{ name: fieldOf[field] ?? field, errors: [message] }])
        otherwise?.()
      },
    })
  }
  return { submit, busy: write.isPending }
}
