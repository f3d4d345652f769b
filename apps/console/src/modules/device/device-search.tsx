import { DeviceQuery } from '@oms/contract/device/device-row.ts'
import { Filter, SelectFilter } from '#kit/list/filter.tsx'
import { DateRangeFilter } from '#kit/list/filter-date.tsx'
import { SearchForm, type SearchProps } from '#kit/list/search-form.tsx'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { DeviceTypePicker } from '#kit/pickers/type-picker.tsx'
import { GroupPicker } from './device-pickers.tsx'

/** The filters of the device list, the common ones first. */
export function DeviceSearch(search: SearchProps) {
  const many = useHasManyTenants()
  const of = DeviceQuery
  return (
    <SearchForm {...search}>
      <Filter of={of} name="sn" />
      <Filter of={of} name="devName" />
      <Filter of={of} name="modelId">
        <DeviceModelPicker />
      </Filter>
      <SelectFilter of={of} name="online" />
      <Filter of={of} name="groupId">
        <GroupPicker />
      </Filter>
      <Filter of={of} name="tag" />
      {many && (
        <Filter of={of} name="tenantId">
          <TenantPicker />
        </Filter>
      )}
      <Filter of={of} name="typeId">
        <DeviceTypePicker />
      </Filter>
      <SelectFilter of={of} name="status" />
      <SelectFilter of={of} name="activated" />
      <SelectFilter of={of} name="appBound" />
      <Filter of={of} name="verCodeMin" />
      <Filter of={of} name="verCodeMax" />
      <Filter of={of} name="mac" />
      <Filter of={of} name="imei" />
      <Filter of={of} name="uid" />
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}
