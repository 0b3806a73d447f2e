"""The door of the desk."""


def carry_out(act):
    raise NotImplementedError
