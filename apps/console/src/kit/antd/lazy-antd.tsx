import { type ComponentType, lazy, type ReactNode } from 'react'
import { loadChunk } from '#core/loading/load-chunk.ts'

type PropsOf<C> = C extends (props: infer Props) => ReactNode ? Props & object : never

/** Loads the antd root with the console's theme. */
export const loadAntd = () => loadChunk(() => import('./antd-root.tsx'))

/** Creates a lazily loaded component that uses antd: `lazyAntd(() => import('./job-drawer.tsx'), 'JobDrawer')`. */
export const lazyAntd = <Module, Name extends keyof Module>(load: () => Promise<Module>, name: Name) =>
  lazy(async () => {
    const [part, { AntdRoot }] = await Promise.all([loadChunk(load), loadAntd()])
    return { default: renderInAntdRoot(AntdRoot, part[name] as ComponentType<PropsOf<Module[Name]>>) }
  })

/** Renders the component inside the antd root. */
export function renderInAntdRoot<Props extends object>(
  Root: ComponentType<{ children: ReactNode }>,
  Part: ComponentType<Props>,
): ComponentType<Props> {
  return function WithAntd(props: Props) {
    return (
      <Root>
        <Part {...props} />
      </Root>
    )
  }
}
