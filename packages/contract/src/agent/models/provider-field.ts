/** A field of the form that configures a model of the provider. */
export interface ProviderField {
  key: string
  label: string
  /** `dict` is JSON text; `array` is a list separated by semicolons. */
  type: 'string' | 'number' | 'boolean' | 'dict' | 'array' | 'password' | 'integer' | 'int' | 'float'
  default?: string
  /** Smallest and largest number; null or absent for no limit. */
  min?: number | null
  max?: number | null
  required?: boolean
  /** True when the value is stored encrypted and never returned. */
  secret?: boolean
}
