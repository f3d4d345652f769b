import { LicenseQuery } from '@oms/contract/license-rows.ts'
import { Filter, SelectFilter } from '#kit/filter.tsx'
import { DateRangeFilter } from '#kit/filter-date.tsx'
import { SearchForm } from '#kit/search-form.tsx'
import { BatchPicker, ModelPicker, TenantPicker, useManyTenants } from './license-pickers.tsx'

/** The filters of the certificate list, the common ones first. */
export function LicenseSearch(search: Omit<Parameters<typeof SearchForm>[0], 'children'>) {
  const many = useManyTenants()
  const of = LicenseQuery
  return (
    <SearchForm {...search}>
      <Filter of={of} name="uid" />
      <SelectFilter of={of} name="state" />
      {many && (
        <Filter of={of} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <Filter of={of} name="batchId">
        <BatchPicker />
      </Filter>
      <SelectFilter of={of} name="vendor" />
      <Filter of={of} name="typeCode" />
      <Filter of={of} name="sn" />
      <Filter of={of} name="modelId">
        <ModelPicker />
      </Filter>
      <DateRangeFilter label="入库时间" />
      <DateRangeFilter label="分配时间" begin="allotBegin" end="allotEnd" />
      <DateRangeFilter label="激活时间" begin="activateBegin" end="activateEnd" />
      <DateRangeFilter label="到期时间" begin="expireBegin" end="expireEnd" />
    </SearchForm>
  )
}
