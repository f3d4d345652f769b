import type { RuleObject, RuleRender } from 'antd/es/form'
import type { SupportedRule } from './small-validator.ts'

type KeyOf<Rule> = Rule extends unknown ? keyof Rule : never
type Supported = Pick<RuleObject, SupportedRule> & {
  readonly [Kind in Exclude<KeyOf<RuleObject>, SupportedRule>]?: never
}

/** A form rule with supported kinds only. Other kinds of antd (`min`, `pattern`, `type` …) do not compile. */
export type SupportedFormRule = Supported | ((...form: Parameters<RuleRender>) => Supported)

declare module 'antd/es/form/FormItem' {
  /** Narrows antd's rules, because the build replaces antd's validator by `small-validator.ts`. */
  interface FormItemProps<Values> {
    rules?: SupportedFormRule[]
  }
}
