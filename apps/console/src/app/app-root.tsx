import type { QueryClient } from '@tanstack/react-query'
import { QueryClientProvider } from '@tanstack/react-query'
import IconContext from '@ant-design/icons/es/components/Context'
import type { ReactNode } from 'react'
import { AddressRouter } from '#core/routing/router.tsx'
import { Overlays } from './overlays.tsx'

/** Icon settings. The styles of the icons are in a style sheet, so icons insert no styles at run time. */
const ICONS = { prefixCls: 'anticon', zeroRuntime: true }

/** Provides what every page uses: queries, router, toasts and dialogs. */
export const AppRoot = ({ client, children }: { client: QueryClient; children: ReactNode }) => (
  <QueryClientProvider client={client}>
    <IconContext value={ICONS}>
      <div className="app">
        <Overlays />
        <AddressRouter>{children}</AddressRouter>
      </div>
    </IconContext>
  </QueryClientProvider>
)
