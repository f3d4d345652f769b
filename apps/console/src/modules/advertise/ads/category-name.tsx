import { DictTag } from '#kit/pickers/dict.tsx'
import { useDict } from '#kit/pickers/use-dict.ts'

/** Category of an ad, from the dictionary. */
export const CategoryName = ({ value }: { value: number | null }) => (
  <DictTag dict={useDict('ad_category')} value={value} />
)
