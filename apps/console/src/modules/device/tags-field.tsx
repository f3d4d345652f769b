import { MAX_TAGS } from '@oms/contract/device/device-row.ts'
import { Select } from 'antd'
import type * as z from 'zod'
import { Field, type FieldOf, type FieldOptions } from '#kit/form/field.tsx'

/** Tag input; Enter or a separator ends a tag. */
export const TagsField = <S extends z.ZodObject>(props: FieldOf<S> & FieldOptions) => (
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
