import { GENDER } from '@oms/contract/account/account-fields.ts'
import { DictLabel } from '#kit/pickers/dict-words.tsx'

/** Gender of an account with the label of the dictionary. */
export const Gender = ({ gender }: { gender: number | null }) => (
  <DictLabel type="sys_user_sex" words={GENDER} value={gender} />
)
