import { MAX_TAGS } from '@oms/contract/device-row.ts'
import { Select } from 'antd'
import type * as z from 'zod'
import { Field, type Of, type Within } from '#kit/field.tsx'

/** Tags typed freely, each ended by Enter or a separator. */
export const TagsField = <S extends z.ZodObject>(props: Of<S> & Within) => (
  <Field {...props} hint={props.hint ?? `输入后按回车，最多 ${MAX_TAGS} 个，每个不超过 20 个字符`}>
    <Select
      mode="tags"
      open={false}
      suffixIcon={null}
      tokenSeparators={[',', '，', '、', ';', '；', ' ']}
      placeholder="输入标签后按回车"
    />
  </Field>
)
