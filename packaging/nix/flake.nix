# Builds verbatim from the clone: `nix build ./packaging/nix`, `nix run ./packaging/nix -- list`.
{
  description = "Find, read, move and share the sessions of your coding agents";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      root = ../..;
      version = (builtins.fromTOML (builtins.readFile (root + "/Cargo.toml"))).workspace.package.version;
      package =
        pkgs:
        pkgs.rustPlatform.buildRustPackage {
          pname = "verbatim";
          inherit version;
          src = root;
          cargoLock.lockFile = root + "/Cargo.lock";
          cargoBuildFlags = [ "--package" "verbatim-cli" ];
          # The tests need the folders of a user.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            export HOME="$TMPDIR"
            for shell in bash zsh fish; do
              "$out/bin/verbatim" completions "$shell" > "verbatim.$shell"
              installShellCompletion --"$shell" --name verbatim "verbatim.$shell"
            done
            "$out/bin/verbatim" man --output man
            installManPage man/*.1
          '';
          meta.mainProgram = "verbatim";
        };
    in
    {
      packages = nixpkgs.lib.genAttrs systems (system: {
        default = package nixpkgs.legacyPackages.${system};
      });
    };
}
