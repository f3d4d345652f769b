import { LicenseQuery } from '@oms/contract/license/license-rows.ts'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { useLicenseStateLabels, useVendorLabels } from './license-cells.tsx'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { BatchPicker } from './license-pickers.tsx'

/** Filters of the certificate list, most used first. */
export function LicenseSearch(search: SearchProps) {
  const many = useHasManyTenants()
  const states = useLicenseStateLabels().options
  const vendors = useVendorLabels().options
  const of = LicenseQuery
  return (
    <SearchForm {...search}>
      <Filter of={of} name="uid" />
      <SelectFilter of={of} name="state" options={states} />
      {many && (
        <Filter of={of} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <Filter of={of} name="batchId">
        <BatchPicker />
      </Filter>
      <SelectFilter of={of} name="vendor" options={vendors} />
      <Filter of={of} name="typeCode" />
      <Filter of={of} name="sn" />
      <Filter of={of} name="modelId">
        <DeviceModelPicker />
      </Filter>
      <DateRangeFilter label="入库时间" />
      <DateRangeFilter label="分配时间" begin="allotBegin" end="allotEnd" />
      <DateRangeFilter label="激活时间" begin="activateBegin" end="activateEnd" />
      <SelectFilter of={of} name="usable" />
      <DateRangeFilter label="到期时间" begin="expireBegin" end="expireEnd" />
    </SearchForm>
  )
}
