import { PACKAGE_STATUS, RECORDING_TYPE } from '@oms/contract/storage/package.ts'
import { formatCurrency } from '@oms/contract/core/money.ts'
import { useDictLabels, DictLabelTag } from '#kit/pickers/dict-words.tsx'
import { PermittedLink } from '#kit/record/known-link.tsx'
import { State } from '#kit/record/state.tsx'

/** Returns the labels of record types from the dictionary. */
export const useRecordTypes = () => useDictLabels('oss_record_type', RECORDING_TYPE)

export const RecordTypeTag = ({ type }: { type: number }) => (
  <DictLabelTag type="oss_record_type" words={RECORDING_TYPE} value={type} />
)

export const PackageStatus = ({ status }: { status: number }) => (
  <State color={status === 1 ? 'success' : 'default'}>{PACKAGE_STATUS[status as 0 | 1]}</State>
)

/** Price in yuan, with the struck-through original price when it is higher. */
export const PackagePrice = ({ price, originPrice }: { price: number; originPrice: number }) => (
  <span className="kit-number">
    {price === 0 ? '免费' : formatCurrency(price)}
    {originPrice > price && <del>{formatCurrency(originPrice)}</del>}
  </span>
)

/** A figure with a link to its rows; zero has no link. */
export const CountLink = ({ n, to }: { n: number; to: string }) =>
  n > 0 ? <PermittedLink to={to}>{n.toLocaleString()}</PermittedLink> : '0'
