import { DeviceQuery } from '@oms/contract/device-row.ts'
import { Filter, SelectFilter } from '#kit/filter.tsx'
import { DateRangeFilter } from '#kit/filter-date.tsx'
import { SearchForm } from '#kit/search-form.tsx'
import { GroupPicker, ModelPicker, TenantPicker, TypePicker, useManyTenants } from './device-pickers.tsx'

/** The filters of the device list, the common ones first. */
export function DeviceSearch(search: Omit<Parameters<typeof SearchForm>[0], 'children'>) {
  const many = useManyTenants()
  const of = DeviceQuery
  return (
    <SearchForm {...search}>
      <Filter of={of} name="sn" />
      <Filter of={of} name="devName" />
      <Filter of={of} name="modelId">
        <ModelPicker />
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
        <TypePicker />
      </Filter>
      <SelectFilter of={of} name="status" />
      <SelectFilter of={of} name="activated" />
      <Filter of={of} name="verCodeMin" />
      <Filter of={of} name="verCodeMax" />
      <Filter of={of} name="mac" />
      <Filter of={of} name="imei" />
      <Filter of={of} name="uid" />
      <DateRangeFilter label="创建时间" />
    </SearchForm>
  )
}
